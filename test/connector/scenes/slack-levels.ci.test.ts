import { playScenes } from "./play-scenes.ts";
import { levels } from "./scenes/levels.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, levels);
