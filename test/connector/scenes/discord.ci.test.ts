import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { discord } from "./scenes/discord.ts";

playScenes(DiscordSite, discord);
