import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { closedThreads } from "./scenes/closed.ts";

playScenes(DiscordSite, closedThreads);
