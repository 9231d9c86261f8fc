import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { text } from "./scenes/text.ts";

playScenes(DiscordSite, text);
