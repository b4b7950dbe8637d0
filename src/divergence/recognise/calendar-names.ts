/**
 * Names of months and weekdays, long and short, as alternatives of a pattern, the longest first: English, German, French,
 * Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Danish, Norwegian, Finnish, Czech, Turkish, Russian, Ukrainian.
 *
 * From `Intl.DateTimeFormat` of Node 20. Written down, as asking it takes 50 ms at once, in the middle of the host's work.
 */
export const MONTHS =
  'października|maaliskuuta|marraskuuta|septiembre|tammikuuta|helmikuuta|huhtikuuta|toukokuuta|' +
  'heinäkuuta|joulukuuta|september|septembre|noviembre|diciembre|settembre|fevereiro|listopada|' +
  'kesäkuuta|syyskuuta|lokakuuta|listopadu|листопада|february|november|december|dezember|novembre|' +
  'décembre|febbraio|dicembre|setembro|novembro|dezembro|februari|augustus|stycznia|kwietnia|sierpnia|' +
  'września|desember|elokuuta|července|prosince|сентября|january|october|februar|oktober|janvier|' +
  'février|juillet|octobre|febrero|octubre|gennaio|ottobre|janeiro|outubro|januari|czerwca|grudnia|' +
  'augusti|haziran|ağustos|февраля|августа|октября|декабря|березня|вересня|august|januar|agosto|aprile|' +
  'maggio|giugno|luglio|lutego|března|května|června|temmuz|aralık|января|апреля|ноября|лютого|квітня|' +
  'травня|червня|серпня|жовтня|грудня|march|april|avril|enero|marzo|abril|junio|julio|março|junho|' +
  'julho|maart|marca|lipca|marts|ledna|února|dubna|srpna|října|şubat|nisan|mayıs|eylül|kasım|марта|' +
  'січня|липня|june|july|märz|juni|juli|sept|mars|juin|août|janv|févr|juil|mayo|maio|maja|září|ocak|' +
  'mart|ekim|июня|июля|февр|сент|нояб|квіт|трав|черв|серп|жовт|лист|груд|may|jan|feb|mar|apr|jun|jul|' +
  'aug|sep|oct|nov|dec|mai|okt|dez|avr|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott|fev|out|mei|mrt|sty|' +
  'lut|kwi|maj|cze|lip|sie|wrz|paź|lis|gru|des|oca|şub|nis|haz|tem|ağu|eyl|eki|kas|ara|мая|янв|мар|апр|' +
  'июн|июл|авг|окт|дек|січ|лют|бер|лип|вер';

export const WEEKDAYS =
  'segunda-feira|quarta-feira|quinta-feira|poniedziałek|terça-feira|sexta-feira|keskiviikko|' +
  'понедельник|воскресенье|donnerstag|wednesday|miércoles|mercoledì|donderdag|niedziela|maanantai|' +
  'perjantai|sunnuntai|pazartesi|cumartesi|понеділок|thursday|saturday|dienstag|mittwoch|mercredi|' +
  'vendredi|dimanche|domenica|woensdag|zaterdag|czwartek|lauantai|çarşamba|perşembe|вівторок|пʼятниця|' +
  'tuesday|freitag|samstag|sonntag|viernes|domingo|martedì|giovedì|venerdì|maandag|dinsdag|vrijdag|' +
  'torsdag|tirsdag|tiistai|torstai|pondělí|čtvrtek|вторник|четверг|пятница|суббота|monday|friday|' +
  'sunday|montag|samedi|martes|jueves|sábado|lunedì|sabato|zondag|wtorek|piątek|sobota|måndag|tisdag|' +
  'onsdag|fredag|lördag|söndag|mandag|lørdag|søndag|středa|neděle|середа|четвер|субота|неділя|lundi|' +
  'mardi|jeudi|lunes|środa|niedz|úterý|pátek|pazar|среда|tors|tirs|salı|cuma|mon|tue|wed|thu|fri|sat|' +
  'sun|lun|mar|mer|jeu|ven|sam|dim|mié|jue|vie|sáb|dom|gio|sab|seg|ter|qua|qui|sex|pon|czw|sob|mån|tis|' +
  'ons|fre|lör|sön|man|lør|søn|tir|tor|pzt|sal|çar|per|cum|cmt|paz|mo|di|mi|do|fr|sa|so|ma|wo|vr|za|zo|' +
  'wt|śr|pt|ti|ke|to|pe|la|su|po|út|st|čt|pá|ne|пн|вт|ср|чт|пт|сб|вс|нд';
