export { FakePlatform } from "./fake-platform.ts";
export { openSqlite, WatchedStore } from "./open-stores.ts";
export { playScene, type Step } from "./scene.ts";
export { ScriptedGateway } from "./scripted-gateway.ts";
export { Stage } from "./stage.ts";
