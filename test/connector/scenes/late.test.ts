import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { late } from "./scenes/late.ts";

playScenes(DiscordSite, late);
