import { playScenes } from "./play-scenes.ts";
import { context } from "./scenes/context.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, context);
