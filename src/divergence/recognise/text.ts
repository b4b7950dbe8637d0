/** Words by which a piece of a prompt tells what it is. Each list is one idea, in the spellings that clients use. */

/** A short text that stands in the place of a longer one. */
const PLACEHOLDER =
  /\b(removed|cleared|omitted|pruned|truncated|elided|trimmed|redacted|collapsed|dropped|hidden|evicted|expired|stripped|shortened|superseded|outdated|older version|no longer|see (below|above|later)|duplicate|placeholder|content (was|has been)|lines? omitted|tokens? saved)\b|^\s*\[[^\]]{0,200}\]\s*$|^\s*(\.\.\.|…)\s*$|^\s*<[^>]{0,120}\/>\s*$/i;

/** A note in brackets, whatever its language. */
const BRACKETED_NOTE = /^\s*[[(<{«「【][^\n]{1,160}[\])>}»」】]\s*$/;

export function isPlaceholder(text: string): boolean {
  return text.length < 600 && (PLACEHOLDER.test(text) || BRACKETED_NOTE.test(text));
}

/** Much shorter than what it replaces, or saying that it replaces something, or nothing at all. */
export function isStubOf(stub: string, original: string): boolean {
  if (original.trim() === '') return false;
  return (
    stub.trim() === '' ||
    (isPlaceholder(stub) && !isPlaceholder(original)) ||
    stub.length < original.length * 0.2
  );
}

/** Context that a client writes into a message by itself. */
export const INJECTED =
  /<(system-reminder|environment_context|environment_details|context|user_instructions|user-prompt-submit-hook|additional_data|attached_files|current_?(date|time|state)|reminder|ide_\w+|workspace\w*|memory|memories)\b|#\s*claudeMd|CLAUDE\.md|AGENTS\.md|GEMINI\.md|\.cursorrules|<INSTRUCTIONS>|\bToday'?s date\b|\bcurrent (date|time|working directory)\b|As you answer the user's questions|^\s*(#+\s*)?(relevant )?(memor(y|ies)|context|environment|background|user (info|profile|context))\b[^\n]{0,40}:?\s*\n/im;

export const ENVIRONMENT =
  /\b(cwd|working (directory|tree)|git|branch|untracked|modified|staged|commits?|HEAD|status|workspace|(open|active|recent) (files?|tabs|editors?|documents?)|(active|current) (file|editor|directory|folder|selection)|cursor|selection|project (root|structure|layout|files)|repo(sitory)? (root|state|map)|directory (listing|structure)|file (tree|list)|platform|os version|hostname|shell|env(ironment)?|terminals?|diagnostics|problems)\b|\bon origin\//i;

export const RETRIEVED =
  /\b(memor(y|ies)|recall(ed)?|retriev(ed|al)|relevant|knowledge|context|(search )?results?|documents?|passages?|snippets?|facts?|notes?|citations?|sources|rag|learned|preferences|similar|examples|past conversations?|history|world info|lore ?book|remembers?|you know|recuerdos?|memoria|contexto|conocimientos?|ged(ä|ae)chtnis|erinnerung(en)?|kontext|wissen|souvenirs?|m(é|e)moire|connaissances?|contexte|ricordi|conoscenza)\b|記憶|メモリ|知識|検索結果|记忆|知识|检索/i;

export const AGENT_STATE =
  /\b(to ?dos?|tasks?|plan|progress|scratch ?pad|checklist|steps?|state|goals?|budget|counters?|queue|usage|token (usage|budget)|aufgaben|tareas|t(â|a)ches)\b/i;

/** States that one side has and the other replaces. */
export const STATE_WORDS =
  /\[[ xX~-]\]|\b(pending|in[_ -]progress|completed?|done|todo|active|inactive|blocked|running|idle|failed|open|closed|not started|started|finished|true|false|on|off)\b/gi;

export const MODE =
  /\b(mode|permissions?|autopilot|approv(al|ed|als)|read[- ]only|plan(ning)? only|sandbox(ed)?|bypass|phase|nudge|persona|role:|verbosity|autonomous|auto[- ]?accept|thinking:? (on|off)|yolo|modus|modo)\b/i;

/** Headings under which people write how the model should behave. */
export const RULES_HEADING =
  /\b(rules?|style|instructions?|guidelines?|conventions?|policy|policies|tone|format|constraints?|output|stil|regeln|reglas|r(è|e)gles)\b/i;

/** Names of files, and headings, under which people keep their rules. */
export const RULES_FILE =
  /\b(AGENTS|CLAUDE|GEMINI|COPILOT|CONVENTIONS|SKILL|RULES)\.md\b|\.cursorrules|\.clinerules|copilot.instructions|\b(project|custom|user|house|team|repository) (rules|instructions|conventions|guidelines)\b/i;
