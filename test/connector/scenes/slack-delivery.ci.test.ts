import { playScenes } from "./play-scenes.ts";
import { away } from "./scenes/away.ts";
import { delivery } from "./scenes/delivery.ts";
import { hostile } from "./scenes/hostile.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, [...delivery, ...away, ...hostile]);
