import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./styles/tokens.css";
import "./styles/base.css";

const place = document.querySelector("#app");
if (!place) throw new Error("the page has no place for the app");
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
