/** All line ends of any reader. Text of people is split at each of them, so that no line of theirs is without its mark. */
export const lineEnds = /\r\n|[\n\v\f\r\u{85}\u{2028}\u{2029}]/u;
