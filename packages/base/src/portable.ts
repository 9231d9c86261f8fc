/** Exports for the protocol client. The exported code runs on Node 20 and does not load the libraries of the store. */
export { type Clock, delay, systemClock, type Timer } from "./clock.ts";
export { type Defined, defined, definedItems } from "./defined.ts";
export { type ErrorCode, ParleyError, type ParleyErrorOptions } from "./errors.ts";
export { chanceOf, createIds, type Ids } from "./ids.ts";
export { duplicateKey, type JsonLimits, parseJson } from "./json.ts";
