export { approvalStory, otherStories } from "./approval-stories.ts";
export { type LinePlatform, renderCardLines } from "./card-lines.ts";
export { FakePlatform } from "./fake-platform.ts";
export { openSqlite, WatchedStore } from "./open-stores.ts";
export { play as playQuestions, scene as questionScene } from "./question-scene.ts";
export { playScene, type SceneStep } from "./scene.ts";
export { ScriptedGateway } from "./scripted-gateway.ts";
export { Stage } from "./stage.ts";
