import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { delivery, repeats } from "./scenes/delivery.ts";

playScenes(DiscordSite, [...delivery, ...repeats]);
