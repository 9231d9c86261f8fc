/** Name of the npm package with the command and all packages of the workspace. */
export const packageName = "parley-agent";
