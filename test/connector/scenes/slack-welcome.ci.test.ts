import { playScenes } from "./play-scenes.ts";
import { welcomeInSlack } from "./scenes/welcome.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, welcomeInSlack);
