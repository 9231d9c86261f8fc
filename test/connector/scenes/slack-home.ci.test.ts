import { playScenes } from "./play-scenes.ts";
import { slackHome } from "./scenes/slack-home.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, slackHome);
