import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { welcome } from "./scenes/welcome.ts";

playScenes(DiscordSite, welcome);
