import { playScenes } from "./play-scenes.ts";
import { closedChannels } from "./scenes/closed.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, closedChannels);
