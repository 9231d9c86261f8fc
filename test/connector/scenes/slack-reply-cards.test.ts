import { playScenes } from "./play-scenes.ts";
import { replyCards } from "./scenes/reply-cards.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, replyCards);
