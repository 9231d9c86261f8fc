/** So many calls of one reply may run; a provider that sends hundreds is out of order. */
export const mostCalls = 8;

/** What the model is told of the others: nothing is wrong with them, and to repeat them is no mistake. */
export const tooManyCalls = `only the first ${mostCalls} calls of a reply are carried out: repeat this one`;
