import { playScenes } from "./play-scenes.ts";
import { slackStreamLevels, slackStreams } from "./scenes/slack-streams.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, [...slackStreams, ...slackStreamLevels]);
