import { playScenes } from "./play-scenes.ts";
import { notices, slackNotices } from "./scenes/notices.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, [...notices, ...slackNotices]);
