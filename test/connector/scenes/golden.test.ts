import { drawDiscord } from "../gallery/draw-discord.ts";
import { DiscordSite } from "./discord-site.ts";
import { playGolden } from "./play-golden.ts";

playGolden(DiscordSite, drawDiscord);
