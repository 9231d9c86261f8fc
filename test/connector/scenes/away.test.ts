import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { away } from "./scenes/away.ts";

playScenes(DiscordSite, away);
