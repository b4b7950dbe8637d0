/**
 * Variations that the engine does not get right yet, by id, each with the reason. The list may only shrink: the corpus
 * test fails when a case on it passes.
 */
export const KNOWN_FAILURES: Readonly<Record<string, string>> = {
  'V-335': 'keyword-triggered passages stand under no heading that speaks of retrieval',
  'V-344': 'a word put into the middle of a line looks like a block that was switched on',
  'V-348': 'a message that was joined to the end of the instructions is not told from an edit of them',
  'V-374': 'an injected message that moved to the end is taken for a window that slid',
  'V-378': 'a file name in front of the change makes an injected rules file an attachment',
  'V-464': 'an age in words is not known as a volatile value',
  'V-485': 'a word put into the middle of a line looks like a block that was switched on',
  'V-516': 'recalled facts stand under a heading that does not speak of retrieval',
  'V-518': 'a word taken out of the middle of a line looks like a block that was switched off',
  'V-520': 'a message that was joined to the leading system message is not told from an edit of it',
  'V-523': 'an injected message that moved to the end is taken for a window that slid',
  'V-527': 'an age in seconds is not known as a volatile value',
};
