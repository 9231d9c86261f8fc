import { playScenes } from "./play-scenes.ts";
import { belowChannel, typing } from "./scenes/typing.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, [...typing, ...belowChannel("top")]);
