export { calls, ScriptedModel, says, stuck } from "./scripted-model.ts";
