/** How the result of a call begins that a stop of the gateway interrupted; also how it is known again. */
export const interrupted = "interrupted, outcome unknown";
