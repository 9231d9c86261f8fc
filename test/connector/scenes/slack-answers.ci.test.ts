import { playScenes } from "./play-scenes.ts";
import { otherAnswers } from "./slack-answers.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, otherAnswers);
