import { playScenes } from "./play-scenes.ts";
import { slackBusy } from "./scenes/busy.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, slackBusy);
