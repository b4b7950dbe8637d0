/** What the shapes mean. Stands where they are first seen and again above the timelines. */
import { html, type Markup } from './html.ts';

export const LEGEND: Markup = html`<ul class="legend" aria-label="Legend">
<li><svg aria-hidden="true"><rect class="read" width="18" height="14"/></svg>read</li>
<li><svg aria-hidden="true"><rect class="written" width="18" height="14"/></svg>written</li>
<li><svg aria-hidden="true"><rect class="uncached" width="18" height="14"/></svg>uncached</li>
<li><svg aria-hidden="true"><use href="#break" x="9" y="7"/></svg>break</li>
<li><svg aria-hidden="true"><use href="#lapse" x="9" y="7"/></svg>not the prompt</li>
</ul>`;
