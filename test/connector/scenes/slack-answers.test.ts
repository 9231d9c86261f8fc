import { playScenes } from "./play-scenes.ts";
import { everydayAnswers } from "./slack-answers.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, everydayAnswers);
