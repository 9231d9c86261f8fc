import { playScenes } from "./play-scenes.ts";
import { delivery } from "./scenes/delivery.ts";

playScenes(delivery);
