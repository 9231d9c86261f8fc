import { playScenes } from "./play-scenes.ts";
import { belowChannel, typing } from "./scenes/typing.ts";
import { working } from "./scenes/working.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, [...typing, ...working, ...belowChannel("top")]);
