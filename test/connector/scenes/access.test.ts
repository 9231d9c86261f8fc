import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { access } from "./scenes/access.ts";

playScenes(DiscordSite, access);
