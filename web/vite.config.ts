import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// `npm run dev` shows the pages with the data of a server that runs at this address.
const SERVER = "http://127.0.0.1:8080";

export default defineConfig({
  base: "/ui/",
  plugins: [react(), tailwindcss()],
  build: {
    outDir: process.env.TENUTO_WEB_OUT ?? "../src/tenuto/web/dist",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content security policy allows files only
    modulePreload: { polyfill: false },
    target: "es2022",
    chunkSizeWarningLimit: 600,
  },
  server: { proxy: { "/v1": SERVER, "/auth": SERVER } },
});
