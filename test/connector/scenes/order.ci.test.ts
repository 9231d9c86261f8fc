import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { order } from "./scenes/order.ts";

playScenes(DiscordSite, order);
