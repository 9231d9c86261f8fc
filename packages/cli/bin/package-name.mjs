/** Name of the npm package of the command. */
export const packageName = "parley-agent";
