import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { delivery, repeats } from "./scenes/delivery.ts";
import { hostile } from "./scenes/hostile.ts";

playScenes(DiscordSite, [...delivery, ...repeats, ...hostile]);
