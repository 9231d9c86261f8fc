import { playScenes } from "./play-scenes.ts";
import { slackQuestions } from "./scenes/slack-questions.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, slackQuestions);
