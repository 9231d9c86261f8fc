import { playScenes } from "./play-scenes.ts";
import { joins } from "./scenes/joins.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, joins);
