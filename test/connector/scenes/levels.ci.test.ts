import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { levels } from "./scenes/levels.ts";

playScenes(DiscordSite, levels);
