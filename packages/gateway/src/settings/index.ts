// Functions for commands that read and change the configuration. This entry point is separate, because these commands
// need no gateway.

export { type KnownProvider, knownProvider } from "../config/known-providers.ts";
export type { ConfigSources } from "../config/sources.ts";
export { replacePrivateFile, writeDraft } from "../data-directory/private-file.ts";
export {
	type ChangedSettings,
	changeSetting,
	changeSettings,
	readConfigText,
	replaceConfigText,
	withoutSetting,
} from "./change-settings.ts";
export {
	type EffectiveSetting,
	effectiveSetting,
	effectiveSettings,
	settingKeys,
} from "./effective-settings.ts";
export {
	changeProject,
	findProject,
	type Project,
	readProjects,
} from "./projects.ts";
export { readStoredKeys, type StoredKeys, storeKeys } from "./stored-keys.ts";
