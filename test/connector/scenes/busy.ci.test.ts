import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { busy } from "./scenes/busy.ts";

playScenes(DiscordSite, busy);
