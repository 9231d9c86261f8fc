import { playScenes } from "./play-scenes.ts";
import { slack } from "./scenes/slack.ts";
import { slackPosts } from "./scenes/slack-posts.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, [...slack, ...slackPosts]);
