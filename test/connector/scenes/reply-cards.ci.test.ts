import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { replyCards } from "./scenes/reply-cards.ts";

playScenes(DiscordSite, replyCards);
