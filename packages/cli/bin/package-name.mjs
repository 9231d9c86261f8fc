/** Name of the npm package that contains the command and all packages of the workspace. */
export const packageName = "parley-agent";
