import{l as e}from"./time-Fh0VVkIz.js";import{t}from"./Editor-B5a8BCRk.js";import{z as n}from"./States-D5s_ouKs.js";var r=n(),i=`version: 1
name: hello
jobs:
  - name: numbers
    activation: source
    source: {kind: cron, schedule: "0 3 * * *"}
    operator: sql
    config:
      sql: select 1 as id, 'one' as word
    outputs:
      - dataset: numbers
        columns:
          - {name: id, type: INTEGER, not_null: true}
          - {name: word, type: VARCHAR}
`;function a(){return(0,r.jsx)(e,{title:`Write a DAG`,about:`The name in the document is the name of the DAG.`,children:(0,r.jsx)(t,{text:i})})}export{a as NewDagPage};