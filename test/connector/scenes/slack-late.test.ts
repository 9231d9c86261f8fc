import { playScenes } from "./play-scenes.ts";
import { late } from "./scenes/late.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, late);
