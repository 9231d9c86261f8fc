import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { joins } from "./scenes/joins.ts";

playScenes(DiscordSite, joins);
