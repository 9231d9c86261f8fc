import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { discordNotices, notices } from "./scenes/notices.ts";

playScenes(DiscordSite, [...notices, ...discordNotices]);
