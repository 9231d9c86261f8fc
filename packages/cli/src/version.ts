import manifest from "../package.json" with { type: "json" };

/** The version of the command and of the gateway that it starts. */
export const version = manifest.version;
