import { playScenes } from "./play-scenes.ts";
import { slackAsked } from "./scenes/slack-asked.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, slackAsked);
