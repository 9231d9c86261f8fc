import { playScenes } from "./play-scenes.ts";
import { schedules } from "./scenes/schedules.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, schedules);
